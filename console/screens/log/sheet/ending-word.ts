const WORDS = {
  'client-left': 'clientLeft',
  'upstream-broke': 'upstreamBroke',
  'quota-spent': 'quotaSpent',
  'storage-failed': 'storageFailed',
  failed: 'failed',
} as const

type EndingWord = (typeof WORDS)[keyof typeof WORDS] | 'otherEnding'

const words = new Map<string, EndingWord>(Object.entries(WORDS))

/** The text key for how an answer ended; a new way is named as the server names it. */
export const endingTextKey = (ending: string): EndingWord => words.get(ending) ?? 'otherEnding'
