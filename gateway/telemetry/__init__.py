"""The telemetry of the gateway: logs."""
