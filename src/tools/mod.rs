//! What a lent tool is: names, validation, the model's view, argument checks, results, mm's log lines.
//! Pure: knows nothing of bytes on a wire, ACP's other methods, processes, tokio or JavaScript.
