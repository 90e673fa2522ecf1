import type { ClientDialect } from '../provider-kit/contract/client-dialect.ts'
import type { DialectName } from '../provider-kit/contract/operation-adapter.ts'

/** Every client dialect by name. */
export interface Dialects {
  /** Throws an Error for a dialect without a folder, which is a programming error. */
  get(name: DialectName): ClientDialect
}

/**
 * `modules` maps each folder beside this file to its exports. Each must export `dialect` with the name of its folder.
 */
export function createDialects(modules: ReadonlyMap<string, Record<string, unknown>>): Dialects {
  const byName = new Map<string, ClientDialect>()
  for (const [folder, module] of modules) {
    const dialect = module.dialect
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
