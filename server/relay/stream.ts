/** An answer on its way, piece by piece. After the last there is nothing more to ask for. */
interface Flow {
  next(): Promise<{ readonly isLast: boolean } & ({ readonly text: string } | { readonly bytes: Uint8Array })>
  /** The client is gone. */
  leave(): Promise<void>
}

/** The answer's bytes at the client's pace: upstream bytes are read only when the client wants more. `over` hears of the last. */
export function stream(flow: Flow, over: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const delivery = await flow.next()
        const bytes = 'text' in delivery ? encoder.encode(delivery.text) : delivery.bytes
        if (bytes.byteLength > 0) controller.enqueue(bytes)
        if (!delivery.isLast) return
        over()
        controller.close()
      },
      cancel: () => flow.leave(),
    },
    { highWaterMark: 0 },
  )
}
