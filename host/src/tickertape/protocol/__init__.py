"""The protocol: events and wire, generated from `protocol/*.yaml`.

events      numbers of classes, events and calls, and what each event means
wire        structs, enums, header bits and numpy types of links and tapes
lookup      event types by number or name
event_type  the value that describes one event type
"""
