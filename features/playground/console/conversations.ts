import { z } from 'zod'
import { readUserData, writeUserData } from '#console/app/session/user-storage.ts'
import { ChatMessage, isStreaming, newId } from './chat-message.ts'

/** Models that are compared in one conversation. */
export const THREADS_MAX = 4
export const CONVERSATIONS_MAX = 20

/** The part of a thread that survives a reload. */
export const STORED_MESSAGES_MAX = 60
/** The part of a conversation that survives a reload: content and reasoning of all threads. */
const STORED_CHARACTERS_MAX = 400_000

/** The messages with one model. */
const Thread = z.object({ id: z.string(), model: z.string(), messages: z.array(ChatMessage).readonly() })
export type Thread = z.infer<typeof Thread>

/** One thread for each model that is compared. */
const Conversation = z.object({
  id: z.string(),
  /** Chosen by the user. Empty: named after its first words. */
  name: z.string(),
  threads: z.array(Thread).min(1).max(THREADS_MAX).readonly(),
})
export type Conversation = z.infer<typeof Conversation>

export const createThread = (model: string, messages: readonly ChatMessage[] = []): Thread => ({
  id: newId(),
  model,
  messages,
})

export const createConversation = (model: string): Conversation => ({
  id: newId(),
  name: '',
  threads: [createThread(model)],
})

export const isEmpty = ({ threads }: Conversation): boolean =>
  threads.every(({ messages }) => messages.length === 0)

const NAME_CHARACTERS_MAX = 48

/** The chosen name, or the first words. Empty while there are none. */
export function nameOf({ name, threads }: Conversation): string {
  if (name !== '') return name
  const words = threads[0]?.messages.find(({ content }) => content !== '')?.content ?? ''
  const line = words.trim().replaceAll(/\s+/g, ' ')
  return line.length > NAME_CHARACTERS_MAX ? `${line.slice(0, NAME_CHARACTERS_MAX)}…` : line
}

/** A copy of a thread for another model, without a reply that is still streaming. */
export const copyThread = (thread: Thread, model: string): Thread =>
  createThread(
    model,
    thread.messages.filter(message => !isStreaming(message)).map(message => ({ ...message, id: newId() })),
  )

const Stored = z.object({ chats: z.array(Conversation).catch([]) })
/** The format of earlier versions: a single conversation. */
const StoredChat = z.object({ turns: z.array(ChatMessage) })

/** The conversations of this user in this browser, the latest first. */
export function storedConversations(userId: number): readonly Conversation[] {
  const stored = readUserData('playground-chat', userId)
  const turns = StoredChat.safeParse(stored).data?.turns
  if (!turns) return Stored.safeParse(stored).data?.chats ?? []
  const model = turns.findLast(({ facts }) => facts !== undefined)?.facts?.model ?? ''
  return [{ id: newId(), name: '', threads: [createThread(model, turns)] }]
}

/**
 * Stores one conversation, as the latest, and leaves the others as another tab may have stored them. False when the
 * browser has no room for it.
 */
export function storeConversation(userId: number, conversation: Conversation): boolean {
  const others = storedConversations(userId).filter(({ id }) => id !== conversation.id)
  const isKept = conversation.name !== '' || !isEmpty(conversation)
  const chats = isKept ? [toStored(conversation), ...others].slice(0, CONVERSATIONS_MAX) : others
  return writeUserData('playground-chat', userId, chats.length > 0 ? { chats } : undefined)
}

export function deleteStoredConversation(userId: number, conversationId: string): void {
  const chats = storedConversations(userId).filter(({ id }) => id !== conversationId)
  writeUserData('playground-chat', userId, chats.length > 0 ? { chats } : undefined)
}

const toStored = (conversation: Conversation): Conversation => ({
  ...conversation,
  threads: conversation.threads.map(thread => ({
    ...thread,
    messages: storedPart(thread, conversation.threads.length).map(toStoredMessage),
  })),
})

/** The most recent messages of a thread within the limits of a conversation with `threadCount` threads. */
export function storedPart({ messages }: Thread, threadCount: number): readonly ChatMessage[] {
  let charactersLeft = Math.floor(STORED_CHARACTERS_MAX / threadCount)
  const earliest = messages.slice(-STORED_MESSAGES_MAX).findLastIndex(message => {
    charactersLeft -= sizeOf(message)
    return charactersLeft < 0
  })
  return messages.slice(-STORED_MESSAGES_MAX).slice(earliest + 1)
}

const sizeOf = ({ content, reasoning, toolCalls }: ChatMessage): number =>
  toolCalls.reduce((size, call) => size + call.arguments.length, content.length + reasoning.length)

/** The message as it is stored and exported: without the data of its pictures, and complete even if it still streams. */
export function toStoredMessage(message: ChatMessage): ChatMessage {
  const stored = { ...message, pictures: message.pictures.map(({ name }) => ({ name })) }
  if (!isStreaming(message)) return stored
  const facts = message.facts && { ...message.facts, isStopped: true }
  return { ...stored, state: 'complete', ...(facts && { facts }) }
}
