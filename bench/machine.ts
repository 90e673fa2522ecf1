import { cpus, release, type } from 'node:os'

/** Where a run was measured. */
export const machine = () => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  system: `${type()} ${release()}`,
  bun: Bun.version,
})
