import type { ChatChoice, ChatChunk, ChatReply } from '../../provider-kit/chat.ts'

const OPENING = '<think>\n'
const CLOSING = '\n</think>\n'

/** For channels whose clients cannot show reasoning: it becomes text between tags. Keeps one state per choice. */
export function createThinkTags(): (chunk: ChatChunk) => readonly ChatChunk[] {
  const thinking = new Set<number>()
  return chunk => {
    if (chunk.type === 'start') return [chunk]
    if (chunk.type === 'reasoning-signature') return []
    const choice = chunk.choice ?? 0
    const text = (words: string): ChatChunk => ({ type: 'text-delta', text: words, choice })
    if (chunk.type === 'reasoning-delta') {
      const isFirst = !thinking.has(choice)
      thinking.add(choice)
      return [text(isFirst ? OPENING + chunk.text : chunk.text)]
    }
    return thinking.delete(choice) ? [text(CLOSING), chunk] : [chunk]
  }
}

/** The same for a whole answer. */
export const withThinkTags = (reply: ChatReply): ChatReply => ({
  ...reply,
  choices: reply.choices.map(tagged),
})

const tagged = ({ reasoning, reasoningSignature: _signature, ...choice }: ChatChoice): ChatChoice =>
  reasoning ? { ...choice, text: OPENING + reasoning + CLOSING + choice.text } : choice
