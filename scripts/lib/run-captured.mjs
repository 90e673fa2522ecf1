import { spawn } from 'node:child_process'
import { ROOT } from './project.mjs'

const TIMED_OUT = 124

/**
 * Runs a program and keeps what it prints, both outputs in one text. Past `timeoutMs` it is killed and its
 * code is 124. A program that cannot be started gives code 1.
 */
export function runCaptured(command, args, { env = {}, timeoutMs = 0, ...options } = {}) {
  const startedAt = performance.now()
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', piece => {
      output += piece
    })
  }
  return new Promise(resolve => {
    const end = code => {
      clearTimeout(timer)
      resolve({ code, output, seconds: (performance.now() - startedAt) / 1000 })
    }
    const late = () => {
      child.kill('SIGKILL')
      end(TIMED_OUT)
    }
    const timer = timeoutMs > 0 ? setTimeout(late, timeoutMs) : undefined
    child.once('error', error => {
      output += `${command}: ${error.message}\n`
      end(1)
    })
    child.once('close', code => end(code ?? 1))
  })
}
