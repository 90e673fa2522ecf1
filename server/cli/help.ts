const TEXT = `tollgate VERB

  serve            the gateway and its console on one port (what happens without a verb)
  lab              the fault lab: an upstream for trying things out, which fails on request
  verify           recomputes every balance from the postings and reports the drift, which is 0
  root-password    gives the root account a new random password and prints it
  help             this page

The environment is described in README.md.
`

export function help(): Promise<number> {
  process.stdout.write(TEXT)
  return Promise.resolve(0)
}
