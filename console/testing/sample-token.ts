import { type Token, TokenDraft } from '#contract/entities/token.ts'

/** A token as the gateway lists it, for tests of its sheet. */
export const SAMPLE_TOKEN: Token = {
  ...TokenDraft.parse({ name: 'laptop' }),
  id: 7,
  user_id: 1,
  key: 'k'.repeat(48),
  status: 1,
  created_time: 1_760_000_000,
  accessed_time: 1_760_000_000,
  used_quota: 0,
  DeletedAt: null,
}
