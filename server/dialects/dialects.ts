import type { ClientDialect } from '../provider-kit/contract/client-dialect.ts'
import type { DialectName } from '../provider-kit/contract/operation-adapter.ts'

/** All dialects that clients speak here, by name. */
export interface Dialects {
  /** Throws an Error for a dialect without a folder: a mistake of ours, not of a caller's. */
  get(name: DialectName): ClientDialect
}

/** `modules` is what the folders beside this file export, by folder. Each must export `dialect` under its own name. */
export function createDialects(modules: ReadonlyMap<string, Record<string, unknown>>): Dialects {
  const byName = new Map<string, ClientDialect>()
  for (const [folder, module] of modules) {
    const dialect = module['dialect']
    if (!isDialect(dialect) || dialect.name !== folder)
      throw new Error(`dialects/${folder} exports no dialect of that name`)
    byName.set(folder, dialect)
  }
  return {
    get(name) {
      const dialect = byName.get(name)
      if (!dialect) throw new Error(`there is no dialect ${name}`)
      return dialect
    },
  }
}

const isDialect = (value: unknown): value is ClientDialect =>
  typeof value === 'object' && value !== null && 'name' in value && 'writeError' in value
