/*
 * links/udp.h - the format of datagrams with a trace. Each begins with a magic word and a number,
 * counted from 0 since the link was opened; bytes of the stream follow. A datagram without bytes is
 * the last one. See protocol/SPEC.md, "UDP".
 */
#ifndef LINKS_UDP_H
#define LINKS_UDP_H

#define TT_UDP_MAGIC 0x55445454u /* "TTDU" */

/* Largest number of bytes of the stream in one datagram: with all headers it fits an Ethernet
 * frame. */
#define TT_UDP_MOST_BYTES 1400u

#endif
