#!/usr/bin/env node
import { launch } from "./launch.js";

launch("agent-socket", "programs/agent-socket.js");
