import { nowSeconds } from '../core/clock.ts'

/** What features are told of a process that makes no backups and exports no traces. */
export const IDLE_SERVICES = {
  processId: 'test',
  installation: { version: '0.0.0', startedAt: nowSeconds() },
  backup: { folder: undefined, intervalHours: 24, keep: 7, isMadeBeforeUpgrade: false },
  dataDir: undefined,
  docsFolder: '/nowhere',
  tracing: undefined,
}
