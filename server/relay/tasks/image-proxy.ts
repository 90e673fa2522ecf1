import { MIB } from '../../core/limits.ts'
import { findTaskByVendorId } from '../../db/system/tasks.ts'
import { readDrawingDetail } from '../../provider-kit/drawing-tasks.ts'
import { withStorageTimeout } from '../with-storage-timeout.ts'
import type { TaskDeps } from './platform.ts'

const IMAGE_BYTES_MAX = 32 * MIB
const TIMEOUT_MS = 30_000
const STATUS_BAD_REQUEST = 400
const STATUS_INTERNAL_ERROR = 500
/** A finished image does not change, but one in progress does. */
const CACHED = 'public, max-age=86400'
const NOT_CACHED = 'no-store'

/**
 * Serves the image of a drawing under our own address. Needs no key, since image URLs are shared: the task id is the
 * secret. The vendor's URL is fetched like any user-supplied one, and the content must be an image.
 */
export async function proxyImage(taskId: string, deps: TaskDeps): Promise<Response> {
  const row = deps.settings.current().tasks.areImagesProxied
    ? await withStorageTimeout(findTaskByVendorId(deps.db, 'mj', taskId))
    : undefined
  const { imageUrl } = readDrawingDetail(row?.detail ?? '')
  if (!row || imageUrl === '') return toError(STATUS_BAD_REQUEST, 'midjourney_task_not_found')
  const fetched = await deps.safeFetch({ url: imageUrl, bytesMax: IMAGE_BYTES_MAX, timeoutMs: TIMEOUT_MS })
  if (fetched.kind === 'failure') {
    deps.log.warn('an image could not be fetched', { request_id: row.request_id, reason: fetched.reason })
    return toError(STATUS_INTERNAL_ERROR, 'http_get_image_failed')
  }
  const { status, bytes } = fetched
  if (status < 200 || status > 299)
    return toError(status < STATUS_BAD_REQUEST ? STATUS_INTERNAL_ERROR : status, 'http_get_image_failed')
  const type = detectImageType(bytes)
  if (type === undefined) return toError(STATUS_INTERNAL_ERROR, 'http_get_image_failed')
  return new Response(bytes, {
    headers: {
      'content-type': type,
      'cache-control': row.outcome === 'open' ? NOT_CACHED : CACHED,
      'x-content-type-options': 'nosniff',
    },
  })
}

const toError = (status: number, error: string): Response => Response.json({ error }, { status })

/** The first bytes of image formats in hexadecimal; a dot matches any digit. Source: the formats' own specifications. */
const IMAGE_SIGNATURES: readonly (readonly [pattern: RegExp, type: string])[] = [
  [/^89504e470d0a1a0a/, 'image/png'],
  [/^ffd8ff/, 'image/jpeg'],
  [/^474946383[79]61/, 'image/gif'],
  [/^52494646.{8}57454250/, 'image/webp'],
  [/^.{8}66747970(61766966|61766973)/, 'image/avif'],
]
const SIGNATURE_BYTES_MAX = 16

/** Detects the format from the bytes, since servers report it unreliably. Undefined for formats that browsers should not show. */
function detectImageType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, SIGNATURE_BYTES_MAX)).toString('hex')
  return IMAGE_SIGNATURES.find(([pattern]) => pattern.test(start))?.[1]
}
