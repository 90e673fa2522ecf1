import { z } from 'zod'
import { Modalities, ModelKind } from './model-kinds.ts'
import { PriceList } from './price-list.ts'

export const ABILITIES = ['tools', 'vision', 'reasoning', 'json_schema', 'web_search', 'caching'] as const

const date = (description: string, example: string) =>
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .optional()
    .meta({ description, example })
const tokens = (description: string, example: number) =>
  z.number().int().positive().optional().meta({ description, example })

export const CatalogueModel = z
  .object({
    vendor: z.string().min(1).meta({ description: 'Provider of the model.', example: 'openai' }),
    kind: ModelKind.meta({ description: 'What the model is called for.', example: 'chat' }),
    context_window: tokens('Most tokens of a prompt.', 1_050_000),
    output_limit: tokens('Longest answer in tokens, thoughts included.', 128_000),
    input: Modalities.meta({ description: 'What the model reads.', example: ['text', 'image'] }),
    output: Modalities.meta({ description: 'What the model produces.', example: ['text'] }),
    abilities: z
      .array(z.enum(ABILITIES))
      .readonly()
      .meta({ description: 'What the model can do.', example: ['tools', 'vision', 'reasoning'] }),
    released: date('Day of the release.', '2026-03-05'),
    deprecated: date('Day from which the provider advises against the model.', '2026-09-05'),
    retires: date('Day from which the provider no longer serves the model.', '2027-03-05'),
    successor: z.string().optional().meta({ description: 'Model that takes its place.', example: 'gpt-5.5' }),
    prices: PriceList,
  })
  .meta({ id: 'CatalogueModel', description: 'A model, as its provider describes and prices it.' })
export type CatalogueModel = z.infer<typeof CatalogueModel>

const Snapshot = z
  .object({
    snapshot_of: z
      .string()
      .meta({ description: 'Model that this is a dated version of.', example: 'gpt-5.4' }),
    released: CatalogueModel.shape.released,
    retires: CatalogueModel.shape.retires,
  })
  .meta({ description: 'A dated version that is and costs the same as its model.' })

/** The file of the catalogue. */
export const CatalogueFile = z
  .object({
    made: z.string().meta({ description: 'Day on which the facts were collected.', example: '2026-11-25' }),
    sources: z
      .array(z.string())
      .meta({ description: 'Where the facts are from.', example: ['LiteLLM 1.108.7'] }),
    models: z.record(z.string(), z.union([CatalogueModel.strict(), Snapshot.strict()])).meta({
      description: 'Models by name.',
      example: { 'gpt-5.4-2026-03-05': { snapshot_of: 'gpt-5.4' } },
    }),
  })
  .meta({ description: 'The bundled catalogue of models.' })
export type CatalogueFile = z.infer<typeof CatalogueFile>
