import { z } from 'zod'

/** A picture of a message. Its data, a data URL, stays in memory: after a reload only the name is left. */
export const Picture = z.object({ name: z.string(), url: z.string().optional() })
export type Picture = z.infer<typeof Picture>

/** The formats that OpenAI, Anthropic and Gemini read. */
export const PICTURE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

/** In one message. */
export const PICTURES_MAX = 4

/**
 * Anthropic accepts 5 MiB in base64, the least of the large providers. Source:
 * docs.claude.com/en/docs/build-with-claude/vision
 */
export const PICTURE_BYTES_MAX = 3_750_000

/** Why a file was not attached. */
export interface PictureProblem {
  readonly kind: 'type' | 'size' | 'count' | 'unreadable'
  /** Name of the file. */
  readonly name: string
}

interface ReadPictures {
  readonly pictures: readonly Picture[]
  readonly problems: readonly PictureProblem[]
}

/** Reads as many files as fit into one message beside those attached before. */
export async function readPictures(files: readonly File[], attachedCount: number): Promise<ReadPictures> {
  const pictures: Picture[] = []
  const problems: PictureProblem[] = []
  for (const file of files) {
    const kind = problemOf(file, attachedCount + pictures.length)
    const url = kind ? undefined : await readDataUrl(file)
    if (url === undefined) problems.push({ kind: kind ?? 'unreadable', name: file.name })
    else pictures.push({ name: file.name, url })
  }
  return { pictures, problems }
}

function problemOf(file: File, attachedCount: number): PictureProblem['kind'] | undefined {
  if (!PICTURE_TYPES.includes(file.type)) return 'type'
  if (file.size > PICTURE_BYTES_MAX) return 'size'
  if (attachedCount >= PICTURES_MAX) return 'count'
  return file.size === 0 ? 'unreadable' : undefined
}

/** Undefined when the file cannot be read, for example because it was moved. */
const readDataUrl = (file: File): Promise<string | undefined> =>
  new Promise(resolve => {
    const reader = new FileReader()
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : undefined)
    reader.onerror = () => resolve(undefined)
    reader.readAsDataURL(file)
  })

const DATA_URL = /(data:[\w/+.-]+;base64,[\w+/=]{24})[\w+/=]{40,}/g

/** Leaves only the beginning of each data URL, so that the text around it stays readable. */
export const shortenDataUrls = (text: string): string => text.replaceAll(DATA_URL, '$1…')
