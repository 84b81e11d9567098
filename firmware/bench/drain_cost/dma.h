#ifndef DRAIN_COST_DMA_H
#define DRAIN_COST_DMA_H

/* End transfers until none is left; each end calls trace_dma_handler(). */
void dma_run(void);

#endif
