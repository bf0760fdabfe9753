"""All traffic with Label Studio over its API: push tasks, pull annotations.

In come our tasks and the numbers of projects; out come task ids and the server's tasks as plain JSON. The rules: a task
already there is never imported again, a write whose outcome is unknown is looked up and never repeated blindly, and no
error repeats a token or a task's text.
"""
