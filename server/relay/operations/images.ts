import { ownEntry } from '../../core/json.ts'
import { NO_USAGE, type Usage } from '../../core/usage.ts'
import { estimateTextTokens } from '../../provider-kit/estimate-tokens.ts'
import { type ImageEditsBody, type ImagesBody, type ImagesReply, imageCount } from '../../provider-kit/contract/operations.ts'
import { withEmbeddedPictures } from '../embed-pictures.ts'
import type { Operation } from '../types.ts'
import { jsonDialect } from './operation.ts'

type Body = ImagesBody | ImageEditsBody

const SIZE_FACTORS: Readonly<Record<string, number>> = {
  '256x256': 0.4,
  '512x512': 0.45,
  '1024x1792': 2,
  '1792x1024': 2,
}
const HD = 'hd'
const HD_FACTOR = 2
/** A large picture in high quality is not twice as dear as a large one. */
const HD_FACTOR_LARGE = 1.5
const TOKENS_OF_SOURCE_PICTURE = 1_100

/** What the size and quality of a picture make of the price of a plain one. */
function factorOf({ size, quality }: Body): number {
  const bySize = ownEntry(SIZE_FACTORS, String(size)) ?? 1
  if (quality !== HD) return bySize
  return bySize * (bySize > 1 ? HD_FACTOR_LARGE : HD_FACTOR)
}

/** Factors have two digits behind the point at most, which binary fractions would blur. */
const plainPictures = (body: Body, count: number): number => Math.round(count * factorOf(body) * 100) / 100

/** Pictures from words. */
export const images: Operation = {
  name: 'images',
  findDialect: client => jsonDialect(client.images),
  findAdapter: provider => provider.images,
  inputTokens: ({ prompt }: ImagesBody) => estimateTextTokens(prompt),
  promptTexts: ({ prompt }: Body) => [prompt],
  outputTokens: () => 0,
  imageUnits: (body: Body) => plainPictures(body, imageCount(body)),
  readUsage: (reply: ImagesReply, body: Body, usage: Usage | undefined) => ({
    ...(usage ?? NO_USAGE),
    images: plainPictures(body, reply.images.length),
  }),
  completeReply: (reply: ImagesReply, body: Body, egress) =>
    body.response_format === 'b64_json' ? withEmbeddedPictures(reply, egress) : Promise.resolve(reply),
  hasOutput: (reply: ImagesReply) => reply.images.length > 0,
}

/** Pictures from others and words. */
export const imageEdits: Operation = {
  ...images,
  name: 'image edits',
  hasFormBody: true,
  findDialect: client => jsonDialect(client.imageEdits),
  findAdapter: provider => provider.imageEdits,
  inputTokens: ({ prompt, image }: ImageEditsBody) =>
    estimateTextTokens(prompt) + image.length * TOKENS_OF_SOURCE_PICTURE,
}
