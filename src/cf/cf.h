/*
 * cf.h - door of the room `cf`: coordinates, packed numbers and times, as the CF conventions describe them
 */
#ifndef ZINC_CF_ROOM_H
#define ZINC_CF_ROOM_H

#include <zinc/cf.h>

#include "node/node.h"

#endif
