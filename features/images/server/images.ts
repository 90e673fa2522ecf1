import { ownEntry } from '#server/core/json/json.ts'
import { NO_USAGE, type Usage } from '#server/core/usage.ts'
import {
  type GeneratedImage,
  type ImageEditsBody,
  type ImagesBody,
  type ImagesReply,
  type ImageVariationsBody,
  imageCount,
} from '#server/provider-kit/contract/operations.ts'
import { estimateTextTokens } from '#server/provider-kit/estimate-tokens.ts'
import { jsonDialect } from '#server/relay/operations/simple-operations.ts'
import type { FetchImage, ModelOperation } from '#server/relay/types.ts'

type Body = ImagesBody | ImageEditsBody | ImageVariationsBody

/** Prices relative to a plain image. */
const SIZE_FACTORS: Readonly<Record<string, number>> = {
  '256x256': 0.4,
  '512x512': 0.45,
  '1024x1792': 2,
  '1792x1024': 2,
}
const HD = 'hd'
const HD_FACTOR = 2
/** A large image in high quality costs less than twice a large one. */
const HD_FACTOR_LARGE = 1.5
const TOKENS_PER_SOURCE_IMAGE = 1_100

/** Generates images from a prompt. */
export const images: ModelOperation = {
  name: 'images',
  findDialect: client => jsonDialect(client.images),
  findAdapter: provider => provider.images,
  inputTokens: ({ prompt }: ImagesBody) => estimateTextTokens(prompt),
  outputTokens: () => 0,
  imageUnits: (body: Body) => toImageUnits(body, imageCount(body)),
  readUsage: (reply: ImagesReply, body: Body, usage: Usage | undefined) => ({
    ...(usage ?? NO_USAGE),
    images: toImageUnits(body, reply.images.length),
  }),
  completeReply: (reply: ImagesReply, body: Body, fetchImage) =>
    body.response_format === 'b64_json' ? inlineImages(reply, fetchImage) : Promise.resolve(reply),
  hasOutput: (reply: ImagesReply) => reply.images.length > 0,
}

/** Generates images from other images and a prompt. */
export const imageEdits: ModelOperation = {
  ...images,
  name: 'image edits',
  hasFormBody: true,
  findDialect: client => jsonDialect(client.imageEdits),
  findAdapter: provider => provider.imageEdits,
  inputTokens: ({ prompt, image }: ImageEditsBody) =>
    estimateTextTokens(prompt) + image.length * TOKENS_PER_SOURCE_IMAGE,
}

/** Varies an image without a prompt. */
export const imageVariations: ModelOperation = {
  ...images,
  name: 'image variations',
  hasFormBody: true,
  findDialect: client => jsonDialect(client.imageVariations),
  findAdapter: provider => provider.imageVariations,
  inputTokens: () => TOKENS_PER_SOURCE_IMAGE,
}

/** Rounded to two decimals, since the factors have no more and binary fractions would add some. */
const toImageUnits = (body: Body, count: number): number => Math.round(count * priceFactor(body) * 100) / 100

function priceFactor({ size, quality }: Body): number {
  const sizeFactor = ownEntry(SIZE_FACTORS, String(size)) ?? 1
  if (quality !== HD) return sizeFactor
  return sizeFactor * (sizeFactor > 1 ? HD_FACTOR_LARGE : HD_FACTOR)
}

/** Fetches the images that the provider only links to. One that cannot be fetched stays a link, since it is paid for. */
const inlineImages = async (reply: ImagesReply, fetchImage: FetchImage): Promise<ImagesReply> => ({
  ...reply,
  images: await Promise.all(reply.images.map(image => inlineImage(image, fetchImage))),
})

async function inlineImage(image: GeneratedImage, fetchImage: FetchImage): Promise<GeneratedImage> {
  const { url, ...rest } = image
  if (!url || image.b64_json) return image
  const bytes = await fetchImage(url)
  return bytes ? { ...rest, b64_json: Buffer.from(bytes).toString('base64') } : image
}
