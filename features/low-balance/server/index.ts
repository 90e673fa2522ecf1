import { defineFeature } from '#server/feature.ts'
import { createLowBalanceMonitor, recordCharges } from './low-balance.ts'

export const feature = defineFeature({
  start(services) {
    const { recordCharge, job } = createLowBalanceMonitor(services)
    recordCharges(services.ledger, recordCharge)
    return { jobs: [job] }
  },
})
