import { expect, test } from 'bun:test'
import { PICTURE_BYTES_MAX, PICTURES_MAX, readPictures } from './pictures.ts'

const file = (name: string, type: string, bytes = 1): File =>
  new File([new Uint8Array(bytes)], name, { type })

test('a file that cannot be sent as a picture is named with the reason', async () => {
  const files = [
    file('drawing.svg', 'image/svg+xml'),
    file('photo.jpg', 'image/jpeg', PICTURE_BYTES_MAX + 1),
    file('fifth.png', 'image/png'),
  ]
  expect(await readPictures(files, PICTURES_MAX)).toEqual({
    pictures: [],
    problems: [
      { kind: 'type', name: 'drawing.svg' },
      { kind: 'size', name: 'photo.jpg' },
      { kind: 'count', name: 'fifth.png' },
    ],
  })
  const empty = await readPictures([file('empty.png', 'image/png', 0)], 0)
  expect(empty.problems).toEqual([{ kind: 'unreadable', name: 'empty.png' }])
})
