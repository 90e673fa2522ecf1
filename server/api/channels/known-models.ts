import type { Registry } from '../../providers/registry.ts'

/** The date that model lists of this kind have always carried, since vendors do not tell when a model was made. */
const CREATED_SECONDS = 1_626_777_600

/** Every model that some vendor offers by default, each once, under the first vendor that has it. */
export function listKnownModels(registry: Registry) {
  const owners = new Map<string, string>()
  for (const { models, name, ownedBy } of registry.all())
    for (const model of models) if (!owners.has(model)) owners.set(model, ownedBy ?? name.toLowerCase())
  return [...owners].map(([id, owned_by]) => ({
    id,
    object: 'model' as const,
    created: CREATED_SECONDS,
    owned_by,
  }))
}
