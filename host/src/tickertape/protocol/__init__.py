"""The protocol: events and wire, generated from `protocol/*.yaml`, and functions on them.

events      numbers of classes, events and calls, and the meaning of each event
wire        structs, enums, header bits and numpy types of links and tapes
lookup      event types by number or name
event_type  the class that describes an event type
"""
