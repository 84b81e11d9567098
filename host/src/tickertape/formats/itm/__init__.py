"""ITM and DWT packets of a Cortex-M's trace unit: reader."""
