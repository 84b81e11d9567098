#ifndef DRAIN_COST_DMA_H
#define DRAIN_COST_DMA_H

/* End the transfers under way, until none is left; each calls trace_dma_handler(). */
void dma_run(void);

#endif
