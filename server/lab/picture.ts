const PICTURE_PATH = /\/pictures\/[^/]+\.png$/
/** One grey point. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

export const isPicturePath = (path: string): boolean => PICTURE_PATH.test(path)

/** What every drawing of the lab looks like. */
export const picture = (): Response => new Response(PNG, { headers: { 'content-type': 'image/png' } })
