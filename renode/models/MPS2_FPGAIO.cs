// The I/O block of Arm's MPS2 FPGA images (Application Notes AN385, AN386 and AN521). tickertape's
// mps2 board uses its 32-bit counter as the trace clock. The three counters run in the machine's
// virtual time. LEDs, buttons and the prescaler are registers without effect.
//
// Renode compiles this file when a script includes it.
using Antmicro.Renode.Core;
using Antmicro.Renode.Core.Structure.Registers;
using Antmicro.Renode.Peripherals.Bus;
using Antmicro.Renode.Peripherals.Timers;
using Antmicro.Renode.Time;

namespace Antmicro.Renode.Peripherals.Miscellaneous
{
    public class MPS2_FPGAIO : BasicDoubleWordPeripheral, IKnownSize
    {
        public MPS2_FPGAIO(IMachine machine, ulong frequency = 25000000) : base(machine)
        {
            seconds = CreateCounter(machine, 1, "CLK1HZ");
            hundredths = CreateCounter(machine, 100, "CLK100HZ");
            cycles = CreateCounter(machine, frequency, "COUNTER");

            Registers.Leds.Define(this).WithValueField(0, 32, name: "LED");
            Registers.Buttons.Define(this).WithValueField(0, 32, FieldMode.Read, name: "BUTTON");
            Registers.Prescale.Define(this).WithValueField(0, 32, name: "PRESCALE");
            Registers.PrescaleCounter.Define(this).WithValueField(0, 32, name: "PSCNTR");
            Registers.Misc.Define(this).WithValueField(0, 32, name: "MISC");
            DefineCounter(Registers.Seconds, seconds);
            DefineCounter(Registers.Hundredths, hundredths);
            DefineCounter(Registers.Cycles, cycles);
        }

        public override void Reset()
        {
            base.Reset();
            seconds.Reset();
            hundredths.Reset();
            cycles.Reset();
        }

        public long Size => 0x1000;

        private LimitTimer CreateCounter(IMachine machine, ulong frequency, string name)
        {
            return new LimitTimer(machine.ClockSource, frequency, this, name, limit: uint.MaxValue,
                direction: Direction.Ascending, enabled: true);
        }

        // Without SyncTime() a counter would not advance until the processor's quantum ends.
        private void DefineCounter(Registers register, LimitTimer timer)
        {
            register.Define(this).WithValueField(0, 32,
                valueProviderCallback: _ =>
                {
                    if(machine.SystemBus.TryGetCurrentCPU(out var cpu))
                    {
                        cpu.SyncTime();
                    }
                    return timer.Value;
                },
                writeCallback: (_, value) => timer.Value = value);
        }

        private readonly LimitTimer seconds;
        private readonly LimitTimer hundredths;
        private readonly LimitTimer cycles;

        private enum Registers
        {
            Leds = 0x00,
            Buttons = 0x08,
            Seconds = 0x10,
            Hundredths = 0x14,
            Cycles = 0x18,
            Prescale = 0x1C,
            PrescaleCounter = 0x20,
            Misc = 0x4C,
        }
    }
}
