import { GatewayError } from '../core/errors.ts'
import type { BothLanguages } from '../core/language.ts'
import { KIB, MIB } from '../core/limits.ts'
import type { FormField } from '../relay/request/client-connection.ts'
import { type ParameterizedValue, parseParameterizedValue } from './content-type.ts'

const FIELDS_MAX = 1_000
const NAME_CHARS_MAX = KIB
const TEXT_CHARS_MAX = MIB
const PART_HEADER_BYTES_MAX = 8 * KIB
/** The characters and the length of RFC 2046. */
const BOUNDARY = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/
const MULTIPART = 'multipart/form-data'
const URL_ENCODED = 'application/x-www-form-urlencoded'

type FormReader = (bytes: Buffer<ArrayBuffer>) => FormField[]

/**
 * Finds the reader for the form that a `Content-Type` header announces. The reader is the only code that interprets the
 * bytes, and applies its limits while it reads. Throws GatewayError `unsupported_media_type` for anything but one
 * unambiguous type of form.
 */
export function formReaderFor(contentType: string): FormReader {
  const type = parseParameterizedValue(contentType)
  const boundary = type?.parameters.get('boundary')
  if (type?.value === MULTIPART && boundary !== undefined && BOUNDARY.test(boundary))
    return bytes => readMultipart(bytes, boundary)
  if (type?.value === URL_ENCODED && boundary === undefined) return readUrlEncoded
  throw new GatewayError('unsupported_media_type', {
    zh: `Content-Type 须为带 boundary 的 ${MULTIPART}，实际为 ${contentType || '空'}`,
    en: `the content type must be ${MULTIPART} with a boundary, found ${contentType || 'none'}`,
  })
}

const LINE_BREAK = '\r\n'
const END_OF_HEADERS = '\r\n\r\n'
const CLOSING_MARK = '--'

/** Reads a multipart form. Throws GatewayError `invalid_request` where it deviates from RFC 7578. */
function readMultipart(bytes: Buffer<ArrayBuffer>, boundary: string): FormField[] {
  const opening = `--${boundary}`
  const delimiter = Buffer.from(`${LINE_BREAK}${opening}`)
  const fields: FormField[] = []
  if (!startsWith(bytes, 0, opening))
    throw invalidForm({ zh: '不以 boundary 开头', en: 'does not begin with its boundary' })
  let at = opening.length
  while (!startsWith(bytes, at, CLOSING_MARK)) {
    if (!startsWith(bytes, at, LINE_BREAK))
      throw invalidForm({ zh: '的 boundary 之后没有换行', en: 'has a boundary without a line break' })
    const headersEnd = bytes.subarray(0, at + PART_HEADER_BYTES_MAX).indexOf(END_OF_HEADERS, at)
    if (headersEnd < 0)
      throw invalidForm({ zh: '中有一部分的头部没有结束', en: 'has a part whose headers do not end' })
    const contentStart = headersEnd + END_OF_HEADERS.length
    const contentEnd = bytes.indexOf(delimiter, contentStart)
    if (contentEnd < 0) throw invalidForm({ zh: '没有结尾', en: 'has no end' })
    const headers = bytes.toString('utf8', at + LINE_BREAK.length, headersEnd)
    addField(fields, readPart(headers, bytes.subarray(contentStart, contentEnd)))
    at = contentEnd + delimiter.length
  }
  return fields
}

const startsWith = (bytes: Buffer, at: number, text: string): boolean =>
  bytes.toString('latin1', at, at + text.length) === text

function addField(fields: FormField[], field: FormField): void {
  if (fields.length === FIELDS_MAX)
    throw invalidForm({ zh: `的字段超过 ${FIELDS_MAX} 个`, en: `has more than ${FIELDS_MAX} fields` })
  fields.push(field)
}

function readPart(headerText: string, content: Buffer<ArrayBuffer>): FormField {
  const headers = readPartHeaders(headerText)
  const disposition = parseParameterizedValue(headers.get('content-disposition') ?? '')
  const name = disposition?.parameters.get('name')
  if (disposition?.value !== 'form-data' || name === undefined)
    throw invalidForm({ zh: '中有一部分没有名称', en: 'has a part without a name' })
  if (!UNENCODED.test(headers.get('content-transfer-encoding') ?? ''))
    throw invalidForm({
      zh: '中有一部分带有 Content-Transfer-Encoding',
      en: 'has a part with a content-transfer-encoding',
    })
  const fileName = readFileName(disposition)
  return fileName === undefined
    ? toTextField(name, content.toString('utf8'))
    : { name, value: { name: fileName, mediaType: headers.get('content-type') ?? '', bytes: content } }
}

const UNENCODED = /^(7bit|8bit|binary)?$/i
const PART_HEADER = /^([\w-]+):[ \t]*(.*)$/

function readPartHeaders(text: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  for (const line of text.split(LINE_BREAK)) {
    const [, name = '', value = ''] = PART_HEADER.exec(line) ?? []
    const key = name.toLowerCase()
    if (key === '' || headers.has(key))
      throw invalidForm({ zh: '中有一部分的头部无效', en: 'has a part with an invalid header' })
    headers.set(key, value.trim())
  }
  return headers
}

const ENCODED_NAME = /^utf-8'[\w-]*'(.*)$/i

/** Some clients give only the extended form of RFC 5987 for a name outside ASCII. */
function readFileName({ parameters }: ParameterizedValue): string | undefined {
  const plain = parameters.get('filename')
  const [, encoded] = ENCODED_NAME.exec(parameters.get('filename*') ?? '') ?? []
  return plain ?? (encoded === undefined ? undefined : decodePercent(encoded))
}

function toTextField(name: string, value: string): FormField {
  if (name.length > NAME_CHARS_MAX || value.length > TEXT_CHARS_MAX)
    throw invalidForm({
      zh: `中有一个字段的文本超过 ${TEXT_CHARS_MAX / MIB} MiB`,
      en: `has a field with more than ${TEXT_CHARS_MAX / MIB} MiB of text`,
    })
  return { name, value }
}

/** Throws GatewayError `invalid_request` for more fields, and for escapes that cannot be decoded. */
function readUrlEncoded(bytes: Buffer<ArrayBuffer>): FormField[] {
  const text = bytes.toString('utf8')
  const fields: FormField[] = []
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf('&', at)
    const end = found < 0 ? text.length : found
    if (end > at) addField(fields, readPair(text.slice(at, end)))
    at = end + 1
  }
  return fields
}

function readPair(pair: string): FormField {
  const equals = pair.indexOf('=')
  const name = equals < 0 ? pair : pair.slice(0, equals)
  return toTextField(decodeForm(name), equals < 0 ? '' : decodeForm(pair.slice(equals + 1)))
}

const decodeForm = (text: string): string => decodePercent(text.replaceAll('+', ' '))

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    throw invalidForm(
      { zh: '中有无法解码为 UTF-8 字符的百分号', en: 'has a percent sign that begins no UTF-8 character' },
      cause,
    )
  }
}

const invalidForm = ({ zh, en }: BothLanguages, cause?: unknown): GatewayError =>
  new GatewayError('invalid_request', { zh: `表单${zh}`, en: `the form ${en}` }, { cause })
