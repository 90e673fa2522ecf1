import { expect, test } from 'bun:test'
import { chooseExampleModel } from './example-model.ts'
import { firstCallSnippets } from './first-call.ts'
import { kindFinder, modelKind } from './model-kind.ts'

test.each([
  ['gpt-4o-mini-tts', 'speech'],
  ['gpt-4o-transcribe', 'transcription'],
  ['bge-m3', 'embeddings'],
  ['mj_imagine', 'task'],
  ['model-of-mine', 'chat'],
] as const)('reads from the name %s that the model is for %s', (model, kind) => {
  expect(modelKind(model)).toBe(kind)
})

test('believes the catalogue before the name', () => {
  const kindOf = kindFinder([
    { model_name: 'nano-banana', model_kind: 'image' },
    { model_name: 'sora-2', model_kind: 'video' },
    { model_name: 'flux-of-mine' },
  ])
  expect(['nano-banana', 'sora-2', 'flux-of-mine', 'gone'].map(kindOf)).toEqual([
    'image',
    'other',
    'image',
    'chat',
  ])
  expect(chooseExampleModel(['nano-banana', 'sora-2', 'zeta'], [], kindOf)).toBe('zeta')
})

test('writes the call of the kind that it is told', () => {
  const [curl] = firstCallSnippets({
    address: 'https://gate.example',
    key: 'k',
    model: 'nano-banana',
    kind: 'image',
  })
  expect(curl?.code).toContain('/v1/images/generations')
})
