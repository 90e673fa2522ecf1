import { expect, test } from 'bun:test'
import { parseDataUrl, toImageUrl, uploadedFileId, uploadImages } from './chat-request.ts'
import type { ChatBody, ContentPart } from './contract/chat.ts'

test('parses a data URL with and without parameters and media type', () => {
  expect(parseDataUrl('data:image/png;base64,AAAA')).toEqual({ mediaType: 'image/png', data: 'AAAA' })
  expect(parseDataUrl('data:audio/wav;rate=8;base64,AA')).toEqual({ mediaType: 'audio/wav', data: 'AA' })
  expect(parseDataUrl('data:;base64,AA')?.mediaType).toBe('application/octet-stream')
})

test('rejects anything else as a data URL', () => {
  for (const url of ['https://x.example/a.png', 'data:text/plain,hello', ''])
    expect(parseDataUrl(url)).toBeUndefined()
})

test('accepts a bare URL in place of an image object', () => {
  expect(toImageUrl('https://x.example/a.png')).toBe('https://x.example/a.png')
  expect(toImageUrl({ url: 'https://x.example/b.png' })).toBe('https://x.example/b.png')
})

const IMAGE = 'data:image/png;base64,iVBORw0KGgo='
const image = (url: string): ContentPart => ({ type: 'image_url', image_url: { url } })
const bodyOf = (content: readonly ContentPart[]): ChatBody => ({
  model: 'm',
  messages: [
    { role: 'system', content: 'Be terse.' },
    { role: 'user', content },
  ],
})

test('uploads inline images in order and leaves all other parts unchanged', async () => {
  const taken: string[] = []
  const upload = async (file: File) => {
    taken.push(`${file.name} ${file.type} ${Buffer.from(await file.arrayBuffer()).toString('base64')}`)
    return `id-${taken.length}`
  }
  const text: ContentPart = { type: 'text', text: 'Which?' }
  const far = image('https://v.example/a.png')
  const body = bodyOf([text, image(IMAGE), far, image(IMAGE.replace('png', 'webp'))])
  expect((await uploadImages(body, upload)).messages).toEqual([
    { role: 'system', content: 'Be terse.' },
    {
      role: 'user',
      content: [
        text,
        { type: 'file', file: { file_id: 'id-1' } },
        far,
        { type: 'file', file: { file_id: 'id-2' } },
      ],
    },
  ])
  expect(taken).toEqual(['picture.png image/png iVBORw0KGgo=', 'picture.webp image/webp iVBORw0KGgo='])
})

test('rejects more images than the limit and files that are not images', () => {
  const many = bodyOf(Array.from({ length: 21 }, () => image(IMAGE)))
  expect(uploadImages(many, () => Promise.resolve('id'))).rejects.toThrow('at most 20')
  expect(() => uploadedFileId({ file_data: 'data:application/pdf;base64,AAAA' })).toThrow('found a file')
})
