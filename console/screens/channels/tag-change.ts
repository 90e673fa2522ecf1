import type { TagChange } from '#contract/channels/channels.ts'

export interface TagFormValues {
  /** Empty dissolves the tag. */
  readonly newTag: string
  /** Empty lists change nothing. */
  readonly models: readonly string[]
  readonly groups: readonly string[]
  /** Undefined changes nothing. */
  readonly mapping: string | undefined
}

export const isUnchanged = (tag: string, { newTag, models, groups, mapping }: TagFormValues): boolean =>
  newTag.trim() === tag && models.length === 0 && groups.length === 0 && mapping === undefined

/** What the server is sent: only what is changed. */
export const toTagChange = (tag: string, { newTag, models, groups, mapping }: TagFormValues): TagChange => ({
  tag,
  ...(newTag.trim() !== tag && { new_tag: newTag.trim() }),
  ...(models.length > 0 && { models: models.join(',') }),
  ...(groups.length > 0 && { groups: groups.join(',') }),
  ...(mapping !== undefined && { model_mapping: mapping }),
})
