import { join } from 'node:path'
import { loadFolders } from '../core/load-folders.ts'

type Loaded = ReadonlyMap<string, Record<string, unknown>>

/** What stands in folders of its own and is found there. The compiled program has it written down instead. */
export interface Modules {
  readonly providers: Loaded
  readonly dialects: Loaded
  readonly resources: Loaded
}

export async function loadModules(): Promise<Modules> {
  const [providers, dialects, resources] = await Promise.all(
    ['providers', 'dialects', 'api'].map(folder => loadFolders(join(import.meta.dir, folder))),
  )
  if (!providers || !dialects || !resources) throw new Error('the folders could not be read')
  return { providers, dialects, resources }
}
