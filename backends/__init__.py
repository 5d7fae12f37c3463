"""Where facts are kept: the ports and the engines behind them."""
