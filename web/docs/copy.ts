let last: HTMLButtonElement | null = null

/** The copy buttons beside code. A button says what became of it until the next one is used. */
export function bindCopy(): void {
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLButtonElement) || !target.classList.contains('copy')) return
    const code = target.parentElement?.querySelector('code')
    if (code === null || code === undefined) return
    if (last !== null) last.textContent = 'Copy'
    last = target
    copy(code).then(
      () => say(target, 'Copied'),
      () => say(target, 'Selected'),
    )
  })
}

/** A page that came without TLS has no clipboard, and a browser may refuse it: then the code is selected and copied the old way. */
async function copy(code: HTMLElement): Promise<void> {
  const isCopied = window.isSecureContext && (await isWritten(code.textContent))
  if (isCopied) return
  getSelection()?.selectAllChildren(code)
  if (!document.execCommand('copy')) throw new Error('this browser does not let a page copy')
}

async function isWritten(text: string): Promise<boolean> {
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
}

function say(button: HTMLButtonElement, word: string): void {
  if (button === last) button.textContent = word
}
