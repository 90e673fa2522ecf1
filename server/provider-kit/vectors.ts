/** A vector as numbers, or as base64 of little-endian float32. */
type Vector = readonly number[] | string

/** Little-endian float32, as OpenAI's own clients request it. */
export const toBase64 = (vector: Vector): string => {
  if (typeof vector === 'string') return vector
  const view = new DataView(new ArrayBuffer(vector.length * 4))
  for (const [index, value] of vector.entries()) view.setFloat32(index * 4, value, true)
  return Buffer.from(view.buffer).toString('base64')
}

/** Numbers of a vector in any encoding. */
export const toNumbers = (vector: Vector): readonly number[] => {
  if (typeof vector !== 'string') return vector
  const bytes = Buffer.from(vector, 'base64')
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4))
}
