"""Storage: the ports and the engines behind them."""
