import { expect, test } from 'bun:test'
import { isSameModel } from './extra-usage.ts'

test.each([
  ['gpt-4o', 'gpt-4o-2024-08-06', true],
  ['gpt-4o-2024-05-13', 'gpt-4o-2024-08-06', true],
  ['gpt-4', 'gpt-4-0613', true],
  ['openai/gpt-4o', 'gpt-4o', true],
  ['gpt-4o', 'openai/gpt-4o', true],
  ['GPT-4o', 'gpt-4o', true],
  ['gpt-35-turbo', 'gpt-3.5-turbo-0125', true],
  ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929', true],
  ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5', true],
  ['claude-sonnet-4-5', 'anthropic/claude-4.5-sonnet-20250929', true],
  ['claude-sonnet-4@20250514', 'claude-sonnet-4-20250514', true],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5-20250929', true],
  ['amazon.nova-pro-v1:0', 'nova-pro', true],
  ['gemini-2.5-pro', 'gemini-2.5-pro-preview-05-06', true],
  ['gemini-2.0-flash', 'models/gemini-2.0-flash-001', true],
  ['gemini-flash-latest', 'gemini-3-flash-preview', true],
  ['mistral-large-latest', 'mistral-large-2411', true],
  ['grok-4', 'grok-4-0709', true],
  ['deepseek/deepseek-r1:free', 'deepseek/deepseek-r1', true],
  ['gpt-4o', 'gpt-4o-mini', false],
  ['gpt-4o-mini', 'gpt-4o', false],
  ['gpt-4.5', 'gpt-5.4', false],
  ['gpt-4.1', 'gpt-4', false],
  ['o1', 'o1-pro', false],
  ['cheap', 'openai/o1-pro', false],
  ['claude-haiku-4-5', 'claude-opus-4-8', false],
  ['claude-opus-4', 'claude-opus-4-8', false],
  ['gemini-flash-latest', 'gemini-3-pro-preview', false],
  ['deepseek-v3', 'deepseek-v4', false],
  ['llama3:8b', 'llama3:70b', false],
])('says whether %s and %s are one model: %p', (requested, served, isSame) => {
  expect(isSameModel(requested, served)).toBe(isSame)
})
