import type { ChatChoice, ChatChunk, ChatReply } from '../../provider-kit/contract/chat.ts'

const OPENING = '<think>\n'
const CLOSING = '\n</think>\n'

/** Turns streamed reasoning into text between tags, for clients that cannot show reasoning. Keeps state per choice. */
export function createThinkTags(): (chunk: ChatChunk) => readonly ChatChunk[] {
  const thinkingChoices = new Set<number>()
  return chunk => {
    if (chunk.type === 'start') return [chunk]
    if (chunk.type === 'reasoning-signature') return []
    const choice = chunk.choice ?? 0
    const toText = (text: string): ChatChunk => ({ type: 'text-delta', text, choice })
    if (chunk.type === 'reasoning-delta') {
      const isFirst = !thinkingChoices.has(choice)
      thinkingChoices.add(choice)
      return [toText(isFirst ? OPENING + chunk.text : chunk.text)]
    }
    return thinkingChoices.delete(choice) ? [toText(CLOSING), chunk] : [chunk]
  }
}

/** The same for a JSON reply. */
export const withThinkTags = (reply: ChatReply): ChatReply => ({
  ...reply,
  choices: reply.choices.map(withTags),
})

const withTags = ({ reasoning, reasoningSignature: _, ...choice }: ChatChoice): ChatChoice =>
  reasoning ? { ...choice, text: OPENING + reasoning + CLOSING + choice.text } : choice
