import { z } from 'zod'
import { countPrompt, type Prompt } from '../answer.ts'
import type { Target } from '../operation.ts'

const Part = z.object({
  text: z.string().optional(),
  inlineData: z.unknown().optional(),
  fileData: z.unknown().optional(),
  functionResponse: z.unknown().optional(),
})
const Content = z.object({ role: z.string().optional(), parts: z.array(Part).optional() })
const Declaration = z.object({
  name: z.string(),
  parameters: z.unknown().optional(),
  parametersJsonSchema: z.unknown().optional(),
})

export const GenerateBody = z.object({
  contents: z.array(Content).min(1),
  systemInstruction: Content.optional(),
  generationConfig: z.object({ maxOutputTokens: z.number().int().positive().optional() }).optional(),
  tools: z.array(z.object({ functionDeclarations: z.array(Declaration).optional() })).optional(),
  toolConfig: z
    .object({
      functionCallingConfig: z
        .object({ mode: z.string().optional(), allowedFunctionNames: z.array(z.string()).optional() })
        .optional(),
    })
    .optional(),
})
export type GenerateBody = z.infer<typeof GenerateBody>

export function promptOf(body: GenerateBody, target: Target): Prompt {
  const calling = body.toolConfig?.functionCallingConfig
  const parts = [body.systemInstruction, ...body.contents].flatMap(content => content?.parts ?? [])
  const letters = parts.reduce((sum, part) => sum + (part.text?.length ?? 0), 0)
  const pictures = parts.filter(part => part.inlineData !== undefined || part.fileData !== undefined).length
  return {
    model: target.model,
    tokens: countPrompt(letters, pictures),
    maxTokens: body.generationConfig?.maxOutputTokens ?? Number.POSITIVE_INFINITY,
    tools: (calling?.mode === 'NONE' ? [] : (body.tools ?? []))
      .flatMap(tool => tool.functionDeclarations ?? [])
      .filter(tool => calling?.allowedFunctionNames?.includes(tool.name) ?? true)
      .map(tool => ({ name: tool.name, schema: tool.parametersJsonSchema ?? tool.parameters })),
    mustCallTool: calling?.mode === 'ANY',
    hasToolResult: (body.contents.at(-1)?.parts ?? []).some(part => part.functionResponse !== undefined),
  }
}

export const lastTextOf = (body: GenerateBody): string =>
  (body.contents.findLast(content => content.role !== 'model')?.parts ?? [])
    .map(part => part.text ?? '')
    .join('')
