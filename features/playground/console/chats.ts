import { createStore, type Store } from '#console/ui/store.ts'
import { type ChatMessage, isStreaming, pendingReply, userMessage } from './chat-message.ts'
import {
  CONVERSATIONS_MAX,
  type Conversation,
  copyThread,
  createConversation,
  deleteStoredConversation,
  isEmpty,
  nameOf,
  storeConversation,
  storedConversations,
  THREADS_MAX,
  type Thread,
} from './conversations.ts'
import type { Picture } from './pictures.ts'
import { EMPTY_REQUEST_LOG, type RequestLog, runReply } from './reply-stream.ts'
import { toRequestBody } from './request.ts'
import type { Settings } from './settings.ts'

export interface ChatsState {
  /** The latest first. */
  readonly conversations: readonly [Conversation, ...Conversation[]]
  readonly shownId: string
  /** The last request of each thread. */
  readonly requestLogs: ReadonlyMap<string, RequestLog>
  /** The last change did not fit into the browser's storage. */
  readonly isStorageFull: boolean
}

interface ChatsOptions {
  readonly userId: number
  /** The settings for the next request. Each thread has its own model. */
  readonly settings: () => Settings
  /** Runs after each reply, which was charged. */
  readonly onReplied: () => void
}

export const shownConversation = ({ conversations, shownId }: ChatsState): Conversation =>
  conversations.find(({ id }) => id === shownId) ?? conversations[0]

export const isThreadBusy = ({ messages }: Thread): boolean => messages.some(isStreaming)

/** The conversations of a user and the actions on them. Replies stream on while another conversation is shown. */
export function createChats(options: ChatsOptions) {
  const state = createState(options)
  const replies = createReplies(state, options)
  return {
    store: state.store,
    ...threadActions(state, replies),
    ...conversationActions(state, replies, options),
    /** Stops all replies. */
    close: replies.stopAll,
  }
}

export type Chats = ReturnType<typeof createChats>

type State = ReturnType<typeof createState>

function createState({ userId, settings }: ChatsOptions) {
  const [latest = createConversation(settings().model), ...others] = storedConversations(userId)
  const store: Store<ChatsState> = createStore<ChatsState>({
    conversations: [latest, ...others],
    shownId: latest.id,
    requestLogs: new Map(),
    isStorageFull: false,
  })
  const change = (part: Partial<ChatsState>) => store.set({ ...store.get(), ...part })
  const threads = () => store.get().conversations.flatMap(conversation => conversation.threads)
  const changeConversation = (id: string, to: (conversation: Conversation) => Conversation) => {
    const [first, ...rest] = store.get().conversations
    const changed = (conversation: Conversation) => (conversation.id === id ? to(conversation) : conversation)
    change({ conversations: [changed(first), ...rest.map(changed)] })
  }
  const ownerOf = (threadId: string) =>
    store.get().conversations.find(conversation => conversation.threads.some(({ id }) => id === threadId))
  return {
    store,
    change,
    changeConversation,
    findThread: (threadId: string) => threads().find(({ id }) => id === threadId),
    changeThread(threadId: string, to: (thread: Thread) => Thread): void {
      const owner = ownerOf(threadId)
      if (!owner) return
      changeConversation(owner.id, conversation => ({
        ...conversation,
        threads: conversation.threads.map(thread => (thread.id === threadId ? to(thread) : thread)),
      }))
    },
    setRequestLog: (threadId: string, log: RequestLog) =>
      change({ requestLogs: new Map(store.get().requestLogs).set(threadId, log) }),
    /** Keeps the conversation, or a thread's conversation, for the next visit. */
    save(id: string): void {
      const conversation = ownerOf(id) ?? store.get().conversations.find(found => found.id === id)
      if (conversation) change({ isStorageFull: !storeConversation(userId, conversation) })
    },
  }
}

type Replies = ReturnType<typeof createReplies>

function createReplies(state: State, { settings, onReplied }: ChatsOptions) {
  const running = new Map<string, AbortController>()
  /** Replaces the reply, if it has not been deleted meanwhile, and never anything else. */
  const update = (threadId: string, reply: ChatMessage) => {
    const isKept = state.findThread(threadId)?.messages.some(({ id }) => id === reply.id)
    if (!isKept) return
    state.changeThread(threadId, thread => ({
      ...thread,
      messages: thread.messages.map(message => (message.id === reply.id ? reply : message)),
    }))
  }
  return {
    /** Asks for the reply to `history`, which replaces the messages of the thread. */
    async request(threadId: string, history: readonly ChatMessage[]): Promise<void> {
      const thread = state.findThread(threadId)
      if (!thread || running.has(threadId)) return
      const controller = new AbortController()
      running.set(threadId, controller)
      const { model } = thread
      const reply = pendingReply(model)
      state.changeThread(threadId, before => ({ ...before, messages: [...history, reply] }))
      state.save(threadId)
      await runReply({
        reply,
        body: toRequestBody({ ...settings(), model }, history),
        signal: controller.signal,
        onUpdate: (updated, log) => {
          update(threadId, updated)
          if (running.get(threadId) === controller) state.setRequestLog(threadId, log)
        },
      })
      if (running.get(threadId) === controller) running.delete(threadId)
      state.save(threadId)
      onReplied()
    },
    stop: (threadId: string) => running.get(threadId)?.abort(),
    stopAll: () => {
      for (const controller of running.values()) controller.abort()
    },
    /** Stops a reply whose message or thread is deleted. Whatever it still reports is ignored. */
    discard(threadId: string): void {
      running.get(threadId)?.abort()
      running.delete(threadId)
    },
  }
}

/** Actions on single messages and models. Each thread continues on its own. */
function threadActions(state: State, replies: Replies) {
  const { store, findThread, changeThread, changeConversation } = state
  const shown = () => shownConversation(store.get())
  const before = (threadId: string, messageId: string) => {
    const messages = findThread(threadId)?.messages ?? []
    return messages.slice(
      0,
      messages.findIndex(({ id }) => id === messageId),
    )
  }
  return {
    retry: (threadId: string, messageId: string) =>
      void replies.request(threadId, before(threadId, messageId)),
    /** Sends a message again with another text, without what followed it. */
    edit(threadId: string, { id, pictures }: ChatMessage, content: string): void {
      void replies.request(threadId, [...before(threadId, id), userMessage(content, pictures)])
    },
    removeMessage(threadId: string, removed: ChatMessage): void {
      if (isStreaming(removed)) replies.discard(threadId)
      changeThread(threadId, thread => ({
        ...thread,
        messages: thread.messages.filter(message => message.id !== removed.id),
      }))
      state.save(threadId)
    },
    setModel(threadId: string, model: string): void {
      changeThread(threadId, thread => ({ ...thread, model }))
      state.save(threadId)
    },
    /** Adds another model, which continues from the messages of the first. */
    /** Adds the first of the models that is not compared yet; the model of the first thread when there is none. */
    addThread(models: readonly string[]): void {
      const { id, threads } = shown()
      const [first] = threads
      if (!first || threads.length >= THREADS_MAX) return
      const other = models.find(model => threads.every(thread => thread.model !== model))
      const added = copyThread(first, other ?? first.model)
      changeConversation(id, conversation => ({ ...conversation, threads: [...threads, added] }))
      state.save(id)
    },
    removeThread(threadId: string): void {
      const { id, threads } = shown()
      if (threads.length === 1) return
      replies.discard(threadId)
      changeConversation(id, conversation => ({
        ...conversation,
        threads: threads.filter(thread => thread.id !== threadId),
      }))
      state.save(id)
    },
  }
}

/** Actions on whole conversations, most of them on the one that is shown. */
function conversationActions(state: State, replies: Replies, { userId, settings }: ChatsOptions) {
  const { store, change, changeConversation } = state
  const shown = () => shownConversation(store.get())
  const create = () => {
    const { conversations } = store.get()
    const unused = conversations.find(conversation => conversation.name === '' && isEmpty(conversation))
    const created = unused ?? createConversation(settings().model)
    if (!unused && conversations.length >= CONVERSATIONS_MAX) return false
    change({
      conversations: [created, ...conversations.filter(({ id }) => id !== created.id)],
      shownId: created.id,
    })
    return true
  }
  return {
    /** Sends a message to every thread. */
    send(content: string, pictures: readonly Picture[] = []): void {
      const conversation = shown()
      if (conversation.threads.some(isThreadBusy)) return
      const others = store.get().conversations.filter(({ id }) => id !== conversation.id)
      change({ conversations: [conversation, ...others], shownId: conversation.id })
      for (const { id, messages } of conversation.threads)
        void replies.request(id, [...messages, userMessage(content, pictures)])
    },
    stop: () => {
      for (const { id } of shown().threads) replies.stop(id)
    },
    /** Deletes the messages and keeps the models. */
    clear(): void {
      const { id, threads } = shown()
      const requestLogs = new Map(store.get().requestLogs)
      for (const thread of threads) {
        replies.discard(thread.id)
        requestLogs.delete(thread.id)
      }
      changeConversation(id, conversation => ({
        ...conversation,
        threads: conversation.threads.map(thread => ({ ...thread, messages: [] })),
      }))
      change({ requestLogs })
      state.save(id)
    },
    /** Shows an empty conversation. False when there are as many conversations as a browser keeps. */
    create,
    show: (id: string) => change({ shownId: id }),
    rename(id: string, name: string): void {
      changeConversation(id, conversation => ({ ...conversation, name }))
      state.save(id)
    },
    remove(id: string): void {
      const removed = store.get().conversations.find(conversation => conversation.id === id)
      for (const thread of removed?.threads ?? []) replies.discard(thread.id)
      deleteStoredConversation(userId, id)
      const [first = createConversation(settings().model), ...others] = store
        .get()
        .conversations.filter(conversation => conversation.id !== id)
      const isShown = shown().id === id
      change({ conversations: [first, ...others], ...(isShown && { shownId: first.id }) })
    },
  }
}

/** The name of a conversation, or a stand-in for one without messages. */
export const titleOf = (conversation: Conversation, untitled: string): string =>
  nameOf(conversation) || untitled

export const requestLogOf = ({ requestLogs }: ChatsState, thread: Thread | undefined): RequestLog =>
  (thread && requestLogs.get(thread.id)) ?? EMPTY_REQUEST_LOG
