import type { Provider } from '../provider-kit/contract/provider.ts'
import { isObject } from '../provider-kit/json.ts'

/** Every provider by its type. */
export interface Registry {
  byType(type: number): Provider | undefined
  /** Ordered by type. */
  all(): readonly Provider[]
}

/**
 * Creates the registry from provider modules by folder name: those of `loadFolders`, or a generated list where folders
 * cannot be read. Throws an Error for a module without a provider and for a duplicate type.
 */
export function createRegistry(modules: ReadonlyMap<string, Readonly<Record<string, unknown>>>): Registry {
  const providers = new Map<number, Provider>()
  for (const [folder, module] of modules) {
    const { provider } = module
    if (!isProvider(provider))
      throw new Error(`providers/${folder}/index.ts must export \`provider\`, made by defineProvider`)
    const former = providers.get(provider.type)
    if (former)
      throw new Error(`${former.name} and ${provider.name} both have the channel type ${provider.type}`)
    providers.set(provider.type, provider)
  }
  const all = [...providers.values()].sort((a, b) => a.type - b.type)
  return { byType: type => providers.get(type), all: () => all }
}

/** The members that every provider has. The others are checked where `defineProvider` is called. */
const isProvider = (value: unknown): value is Provider =>
  isObject(value) &&
  Number.isInteger(value.type) &&
  typeof value.name === 'string' &&
  typeof value.baseUrl === 'string' &&
  Array.isArray(value.models)
