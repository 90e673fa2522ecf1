import { expect, test } from 'bun:test'
import type { ChatBody, ContentPart } from './chat.ts'
import { uploadedIdOf, uploadPictures } from './upload-pictures.ts'

const PICTURE = 'data:image/png;base64,iVBORw0KGgo='
const picture = (url: string): ContentPart => ({ type: 'image_url', image_url: { url } })
const bodyOf = (content: readonly ContentPart[]): ChatBody => ({
  model: 'm',
  messages: [
    { role: 'system', content: 'Be terse.' },
    { role: 'user', content },
  ],
})

test('uploads what is in the body, in its order, and leaves all else as it is', async () => {
  const taken: string[] = []
  const upload = async (file: File) => {
    taken.push(`${file.name} ${file.type} ${Buffer.from(await file.arrayBuffer()).toString('base64')}`)
    return `id-${taken.length}`
  }
  const text: ContentPart = { type: 'text', text: 'Which?' }
  const far = picture('https://v.example/a.png')
  const body = bodyOf([text, picture(PICTURE), far, picture(PICTURE.replace('png', 'webp'))])
  expect((await uploadPictures(body, upload)).messages).toEqual([
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

test('refuses more pictures than a conversation needs, and files that are none', () => {
  const many = bodyOf(Array.from({ length: 21 }, () => picture(PICTURE)))
  expect(uploadPictures(many, () => Promise.resolve('id'))).rejects.toThrow('at most 20')
  expect(() => uploadedIdOf({ file_data: 'data:application/pdf;base64,AAAA' })).toThrow('found a file')
})
