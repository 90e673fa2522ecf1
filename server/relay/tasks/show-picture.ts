import { MIB } from '../../core/limits.ts'
import { findTaskByVendorId } from '../../db/system/tasks.ts'
import { readDrawingDetail } from '../../provider-kit/drawing-tasks.ts'
import type { RelayContext } from '../relay-context.ts'
import { withStorageTimeout } from '../with-storage-timeout.ts'
import { pictureTypeOf } from './picture-type.ts'

const PICTURE_BYTES_MAX = 32 * MIB
const TIMEOUT_MS = 30_000
const BAD_REQUEST = 400
const INTERNAL_ERROR = 500
/** A finished picture stays what it is; one that grows is asked for again. */
const KEPT = 'public, max-age=86400'
const NOT_KEPT = 'no-store'

/**
 * A drawing's picture through our own address. Anybody who knows its id may see it, as addresses of pictures are passed
 * around. What the vendor names is fetched like any address of others' choosing, and must be a picture.
 */
export async function showPicture(taskId: string, gateway: RelayContext): Promise<Response> {
  const row = gateway.settings.current().tasks.arePicturesForwarded
    ? await withStorageTimeout(findTaskByVendorId(gateway.db, 'mj', taskId))
    : undefined
  const { imageUrl } = readDrawingDetail(row?.detail ?? '')
  if (!row || imageUrl === '') return refusal(BAD_REQUEST, 'midjourney_task_not_found')
  const fetched = await gateway.safeFetch({
    url: imageUrl,
    bytesMax: PICTURE_BYTES_MAX,
    timeoutMs: TIMEOUT_MS,
  })
  if (fetched.kind === 'failure') {
    gateway.log.warn('a picture could not be fetched', { request_id: row.request_id, reason: fetched.reason })
    return refusal(INTERNAL_ERROR, 'http_get_image_failed')
  }
  const { status, bytes } = fetched
  if (status < 200 || status > 299)
    return refusal(status < BAD_REQUEST ? INTERNAL_ERROR : status, 'http_get_image_failed')
  const type = pictureTypeOf(bytes)
  if (type === undefined) return refusal(INTERNAL_ERROR, 'http_get_image_failed')
  return new Response(bytes, {
    headers: {
      'content-type': type,
      'cache-control': row.outcome === 'open' ? NOT_KEPT : KEPT,
      'x-content-type-options': 'nosniff',
    },
  })
}

const refusal = (status: number, error: string): Response => Response.json({ error }, { status })
