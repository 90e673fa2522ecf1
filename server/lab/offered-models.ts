import { FAULTS } from './faults.ts'

/**
 * The models that the lab lists. It serves every other name too, unless the name starts with `lab-`. Names of real models
 * let a gateway apply their real prices.
 */
export const OPENAI_MODELS = [
  'lab',
  'gpt-4o-mini',
  'gpt-4o',
  'o3-mini',
  'gpt-3.5-turbo-instruct',
  'text-embedding-3-small',
]
export const ANTHROPIC_MODELS = ['lab', 'claude-sonnet-4-5-20250929', 'claude-3-5-haiku-20241022']
export const GEMINI_MODELS = ['lab', 'gemini-2.5-flash', 'gemini-2.5-pro', 'text-embedding-004']

/** The model names that request the faults. */
export const FAULT_MODELS = Object.keys(FAULTS).map(name => `lab-${name}`)
