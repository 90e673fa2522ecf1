import { isObject, listOf, objectOf, parseJson, textOf } from '../json.ts'

/** What a drawing has beside what every task has. */
export interface DrawingDetail {
  readonly promptEn: string
  readonly description: string
  /** What the client gave to recognise its drawing by. */
  readonly state: string
  /** Where the vendor keeps the picture; empty while there is none. */
  readonly imageUrl: string
  readonly buttons: readonly unknown[]
  /** Null while the vendor told none. */
  readonly properties: unknown
}

/** Reads a vendor's task object, or what was stored of one. */
export function toDrawingDetail(json: unknown): DrawingDetail {
  const task = objectOf(json)
  return {
    promptEn: textOf(task.promptEn) ?? '',
    description: textOf(task.description) ?? '',
    state: textOf(task.state) ?? '',
    imageUrl: textOf(task.imageUrl) ?? '',
    buttons: listOf(task.buttons),
    properties: isObject(task.properties) ? task.properties : null,
  }
}

export const readDrawingDetail = (text: string): DrawingDetail => toDrawingDetail(parseJson(text))

/** Where clients see the picture of a drawing: through this installation, or at the vendor's own address. */
export function pictureAddress(
  { taskId, imageUrl }: { readonly taskId: string; readonly imageUrl: string },
  { isForwarded, serverAddress }: { readonly isForwarded: boolean; readonly serverAddress: string },
): string {
  if (!isForwarded || imageUrl === '' || taskId === '') return imageUrl
  return `${serverAddress}/mj/image/${encodeURIComponent(taskId)}`
}
