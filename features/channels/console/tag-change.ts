import type { TagChange } from '../contract/channels.ts'

/** The values of the tag form, under the contract's field names. */
export interface TagFormValues {
  /** Empty dissolves the tag. */
  readonly new_tag: string
  /** Empty lists change nothing. */
  readonly models: readonly string[]
  readonly groups: readonly string[]
  /** Undefined changes nothing. */
  readonly model_mapping: string | undefined
}

export const isUnchanged = (
  tag: string,
  { new_tag, models, groups, model_mapping }: TagFormValues,
): boolean =>
  new_tag.trim() === tag && models.length === 0 && groups.length === 0 && model_mapping === undefined

/** The request body: only the changed fields. */
export const toTagChange = (
  tag: string,
  { new_tag, models, groups, model_mapping }: TagFormValues,
): TagChange => ({
  tag,
  ...(new_tag.trim() !== tag && { new_tag: new_tag.trim() }),
  ...(models.length > 0 && { models: models.join(',') }),
  ...(groups.length > 0 && { groups: groups.join(',') }),
  ...(model_mapping !== undefined && { model_mapping }),
})
