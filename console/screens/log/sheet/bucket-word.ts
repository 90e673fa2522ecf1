const WORDS = {
  input: 'input',
  cachedInput: 'cachedInput',
  cacheWrite: 'cacheWrite',
  cacheWriteHour: 'cacheWriteHour',
  audioInput: 'audioInput',
  imageInput: 'imageInput',
  images: 'images',
  output: 'output',
  reasoning: 'reasoning',
  audioOutput: 'audioOutput',
  call: 'perCall',
} as const

type BucketWord = (typeof WORDS)[keyof typeof WORDS] | 'otherTokens'

const words = new Map<string, BucketWord>(Object.entries(WORDS))

/** The text key for a kind of tokens; new kinds are named as the server names them. */
export const bucketTextKey = (bucket: string): BucketWord => words.get(bucket) ?? 'otherTokens'
