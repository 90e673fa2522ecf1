import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { formReaderFor } from './form-body.ts'

const MULTIPART = 'multipart/form-data; boundary=edge'
const URL_ENCODED = 'application/x-www-form-urlencoded'
const read = (type: string, text: string | Uint8Array) => formReaderFor(type)(Buffer.from(text))
const part = (headers: string, content = 'x') => `--edge\r\n${headers}\r\n\r\n${content}\r\n`
const named = (parameters: string) => part(`Content-Disposition: form-data; ${parameters}`)
const END = '--edge--\r\n'

describe('the type of a form', () => {
  test.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=a; boundary=b',
    'multipart/form-data; boundary=a; Boundary=a',
    'multipart/form-data; boundary=a b',
    'multipart/form-data; boundary="a',
    `multipart/form-data; boundary=${'a'.repeat(71)}`,
    'multipart/form-data, multipart/form-data; boundary=a',
    'multipart/mixed; boundary=a',
    'application/x-www-form-urlencoded; boundary=zzz',
    'application/json',
    '',
  ])('%p is rejected', type => {
    expect(() => formReaderFor(type)).toThrow(expect.objectContaining({ code: 'unsupported_media_type' }))
  })

  test.each([
    ['Multipart/Form-Data;BOUNDARY=edge'],
    ['multipart/form-data; charset=utf-8; boundary="edge"'],
    ['multipart/form-data; x="; boundary=AA"; boundary=edge'],
  ])('%p has one boundary', type => {
    expect(read(type, `${named('name="a"')}${END}`)).toEqual([{ name: 'a', value: 'x' }])
  })
})

describe('a multipart form', () => {
  test('is read as the common clients write it', () => {
    const body = [
      named('name="model"'),
      named('name=plain'),
      part(
        'content-disposition: form-data; name="file"; filename="字.mp3"\r\nContent-Type: audio/mpeg',
        'a\r\n--edg',
      ),
      named(`name=file; filename=f.mp3; filename*=utf-8''f.mp3`),
      named(`name="file"; filename*=utf-8''%E5%AD%97.mp3`),
      part('Content-Disposition: form-data; name="empty"\r\nContent-Transfer-Encoding: binary', ''),
      END,
    ].join('')
    const file = (name: string, mediaType: string, content: string) => ({
      name: 'file',
      value: { name, mediaType, bytes: Buffer.from(content) },
    })
    expect(read(MULTIPART, body)).toEqual([
      { name: 'model', value: 'x' },
      { name: 'plain', value: 'x' },
      file('字.mp3', 'audio/mpeg', 'a\r\n--edg'),
      file('f.mp3', '', 'x'),
      file('字.mp3', '', 'x'),
      { name: 'empty', value: '' },
    ])
  })

  test('is read back as the runtime writes it, for any content', async () => {
    const texts = fc.array(
      fc.tuple(fc.string({ minLength: 1, maxLength: 9 }), fc.uint8Array({ maxLength: 99 })),
    )
    await fc.assert(
      fc.asyncProperty(texts, async fields => {
        const form = new FormData()
        for (const [name, bytes] of fields) form.append(encodeURIComponent(name), new Blob([bytes]), 'f.bin')
        const sent = new Response(form)
        const type = sent.headers.get('content-type') ?? ''
        const received = read(type, new Uint8Array(await sent.arrayBuffer()))
        expect(
          received.map(({ name, value }) => [name, typeof value === 'string' ? value : [...value.bytes]]),
        ).toEqual(fields.map(([name, bytes]) => [encodeURIComponent(name), [...bytes]]))
      }),
    )
  })

  test.each([
    ['a preamble', `x\r\n${named('name="a"')}${END}`],
    ['another boundary', named('name="a"').replace('edge', 'other') + END],
    ['no end', named('name="a"')],
    ['a boundary that goes on', `${named('name="a"')}--edges\r\n${END}`],
    ['a part without a name', `${named('filename="f"')}${END}`],
    ['a name that is given twice', `${named('name="a"; name="b"')}${END}`],
    [
      'a disposition that is given twice',
      `${part('Content-Disposition: form-data; name="a"\r\ncontent-disposition: form-data; name="b"')}${END}`,
    ],
    ['a bare line break in a header', `${part('Content-Disposition: form-data; name="a\nb"')}${END}`],
    ['a folded header', `${part('Content-Disposition: form-data;\r\n name="a"')}${END}`],
    [
      'a transfer encoding',
      `${part('Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64')}${END}`,
    ],
    [
      'headers without an end',
      `--edge\r\nContent-Disposition: form-data; name="a"\r\nx: ${'y'.repeat(9000)}\r\n\r\n\r\n${END}`,
    ],
    [
      'more than a mebibyte of text',
      `${part('Content-Disposition: form-data; name="a"', 'x'.repeat(1_048_577))}${END}`,
    ],
    ['too many fields', `${named('name="a"').repeat(1001)}${END}`],
  ])('with %s is rejected', (_, body) => {
    expect(() => read(MULTIPART, body)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })
})

describe('an urlencoded form', () => {
  test('is decoded pair by pair', () => {
    expect(read(URL_ENCODED, 'a=1+2&b&&%E5%AD%97=%26=c&')).toEqual([
      { name: 'a', value: '1 2' },
      { name: 'b', value: '' },
      { name: '字', value: '&=c' },
    ])
  })

  test('with too many pairs or invalid escapes is rejected', () => {
    expect(() => read(URL_ENCODED, 'a=1&'.repeat(1001))).toThrow('more than 1000 fields')
    expect(() => read(URL_ENCODED, 'a=%E5')).toThrow('percent sign')
  })
})
