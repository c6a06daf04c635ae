// Search without a server. Browsers start no worker for a page that was opened as a file, so the
// worker's script runs in a hidden frame instead. On a server nothing is changed.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.documentElement.append(frame)
      this.inside = frame.contentWindow
      this.waiting = []
      this.inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data })
        this.dispatchEvent(event)
        if (this.onmessage) this.onmessage(event)
      }
      const script = this.inside.document.createElement("script")
      script.src = url
      script.onload = () => {
        const sent = this.waiting
        this.waiting = null
        for (const data of sent) this.postMessage(data)
      }
      this.inside.document.head.append(script)
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data)
      else this.inside.dispatchEvent(new MessageEvent("message", { data }))
    }
  }
}
