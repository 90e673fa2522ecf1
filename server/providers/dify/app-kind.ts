/** What an application is, said by the beginning of the model's name: its API does not tell. */
export type AppKind = 'chat' | 'completion' | 'workflow'

export function appKindOf(model: string): AppKind {
  if (model.startsWith('dify-workflow')) return 'workflow'
  return model.startsWith('dify-completion') ? 'completion' : 'chat'
}
