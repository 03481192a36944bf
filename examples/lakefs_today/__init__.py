"""lakeFS as it is today: the flows of its Go code, written from reading, each with the name of its function.

Read: the newest commit of the mirror, 71a45eeb (July 2026); packages ``graveler``, ``graveler/ref``,
``graveler/staging``, ``catalog``, ``distributed``, ``batch``, and the Spark job of the garbage collection. What a
repair needs is an option of the flow; its default is what the code does. ``docs/lakefs-today.md`` has the findings.
"""
